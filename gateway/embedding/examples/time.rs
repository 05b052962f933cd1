//! Measures what encoding costs, in processor time, so that what else the machine does matters less (Linux only):
//!
//!     cargo run --release -p gateway-embedding --example time -- FOLDER

#![expect(clippy::print_stdout, reason = "the figures are its purpose")]

use std::{env, fs, path::Path, time::Duration};

use gateway_embedding::Encoder;

/// Thirty-two words, the length of a long request.
const REQUEST: &str = "Please find the three cheapest direct flights from Berlin to Lisbon for two adults next \
                       Friday in the morning, with one piece of checked luggage each, and tell me which airline is \
                       best";

const ROUNDS: u32 = 200;

fn main() {
    let folder = env::args_os().nth(1).expect("name the model's folder");
    let started = processor_time();
    let encoder = Encoder::open(Path::new(&folder)).expect("the folder holds a model");
    println!("open             {:>9.1?}", processor_time() - started);
    for words in [3, 10, 30, 120] {
        let text: Vec<_> = REQUEST.split(' ').cycle().take(words).collect();
        let text = text.join(" ");
        let alone = measure(|| {
            for _ in 0..ROUNDS {
                encoder.encode(&text);
            }
        });
        let together = measure(|| {
            encoder.encode_all((0..ROUNDS).map(|_| text.as_str()));
        });
        println!("{words:>3} words alone  {alone:>9.1?}   of many {together:>9.1?}");
    }
}

fn measure(work: impl Fn()) -> Duration {
    work();
    let started = processor_time();
    work();
    (processor_time() - started) / ROUNDS
}

/// Returns how long the processor has worked for this thread.
fn processor_time() -> Duration {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").expect("this is Linux");
    let nanoseconds = statistics
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.expect("it begins with a number"))
}
