"""What reports compute: frames in, frames out, one module per idea."""
