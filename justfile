# Formatting, lints, tests.
check: && test
    cargo fmt --all --check && cargo clippy --workspace --all-targets -- -D warnings

# All tests that need nothing but cargo.
test:
    cargo test --workspace

# The tests that need Python and Node too.
slow:
    SLOW_TESTS=1 cargo test --workspace

# Mends what a machine can mend.
fix:
    cargo fmt --all && cargo clippy --workspace --all-targets --fix --allow-dirty

# Shows and accepts changed snapshots (needs cargo-insta).
snap:
    cargo insta test --workspace --review

# The program, built for debugging.
run *args:
    cargo run -q -p metier -- {{args}}

# Benchmarks on one core.
bench:
    taskset -c 0 cargo bench --workspace
