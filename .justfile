# Lists the recipes.
default:
    @just --list

# Compiles everything, quickly and without running it.
check:
    cargo check --workspace --all-targets

# Formats all code.
fmt:
    cargo fmt --all

# Reports what the lints find; warnings are errors.
lint:
    cargo clippy --workspace --all-targets -- --deny warnings

# Installs what tests need and runs every check, as continuous integration does.
test:
    tests/run

# Runs the official SDKs' clients through a fresh build of the gateway.
interop:
    cargo build --bin a2a-gateway && tests/interop/setup && tests/interop/run

# Shows the gateway at work and stays up.
demo:
    cargo run --release --bin a2a-gateway -- demo

# Runs the fuzzer for some seconds on each target.
fuzz seconds="600":
    tests/fuzz/run {{seconds}}

# Measures what the gateway adds to a direct call.
load:
    tests/load/run

# Measures how well messages are routed.
routing:
    tests/routing/run

# Builds the API documentation of all crates.
doc:
    cargo doc --workspace --no-deps
