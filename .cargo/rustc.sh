#!/bin/sh
# Compiles a crate of the workspace. Tests are built once and run once, so they are not optimised:
# the library of `kernels`, which its unit tests compile again, takes a quarter of the time this
# way. The programs `it`, `mpi` and `property` compute much of what they compare with, and would
# lose more time than building them saves; the parser in `array` needs more stack without it.
# Cargo's profiles cannot say so, because they hold for all targets of a package.
is_test=no
for argument in "$@"; do
    case $argument in
        it | mpi | property | phalanx_array) exec "$@" ;;
        --test) is_test=yes ;;
    esac
done
if [ $is_test = yes ]; then
    exec "$@" -C opt-level=0 -C codegen-units=16
fi
exec "$@"
