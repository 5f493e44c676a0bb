"""Read official files of MLPerf Inference v4.1 and later into rows with the columns of data/official/."""
