"""What reports compute: frames in, frames out, one module per idea, in rooms where one idea is built on others."""
