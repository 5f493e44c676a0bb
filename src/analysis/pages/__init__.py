"""From notebooks to pages: execution, page template, index, preview, stored outputs."""
