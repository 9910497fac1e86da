//! Tests of the packages, installed; everything is in `tests/packages`, and `./dev package` runs it.
