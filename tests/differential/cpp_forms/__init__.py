"""Programs written as C++: the front doors that the run-time builder has not."""
