"""Where cameras and arms of a lab stand: from views of a board, and from points of the table."""
