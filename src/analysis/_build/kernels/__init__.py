"""Warm kernels: ordinary ipykernels, forked from a process that has the libraries loaded."""
