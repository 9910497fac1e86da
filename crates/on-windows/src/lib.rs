//! Tests of the programs on Windows; everything is in `tests/windows`, and `./dev windows` runs it.
