//! What it costs to verify an assertion, the first time and again.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use causeway_shell::assertion::{
    Authority, Claims, Recipient, SigningKey, StaticKeys, TrustedKey, Verifier,
};
use tokio::time::Instant;

const METHOD: &str = "/causeway.inventory.v1.ApplicationService/GetApplication";
const NEW: usize = 2_000;
const AGAIN: usize = 500_000;

pub(crate) fn run() -> anyhow::Result<()> {
    let key = SigningKey::generate()?;
    let keys = StaticKeys::new([TrustedKey {
        key: *key.public_key(),
        authority: Authority::Platform,
    }]);
    let verifier = Verifier::new(Arc::new(keys), Recipient::platform("inventory".parse()?));
    let tokens = (0..NEW).map(|number| token(&key, number));
    let tokens = tokens.collect::<anyhow::Result<Vec<_>>>()?;
    let runtime = crate::tunnel::runtime(1)?;
    let first = runtime.block_on(each(&verifier, tokens.iter()))?;
    let again = tokens.iter().cycle().take(AGAIN);
    let again = runtime.block_on(each(&verifier, again))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "| verifying an assertion | µs |\n|---|---|")?;
    writeln!(out, "| the first time | {:.1} |", micros(first))?;
    writeln!(
        out,
        "| again, {NEW} of them in turn | {:.2} (goal 5 or less) |\n",
        micros(again)
    )?;
    Ok(())
}

fn token(key: &SigningKey, number: usize) -> anyhow::Result<String> {
    let claims = Claims::for_read(
        "platform",
        format!("user:u{number}").parse()?,
        "acme/-/inventory".parse()?,
        METHOD,
        Duration::from_secs(60),
    );
    Ok(key.sign(&claims)?)
}

async fn each(
    verifier: &Verifier,
    tokens: impl Iterator<Item = &String>,
) -> anyhow::Result<Duration> {
    let (mut count, begin) = (0_u32, Instant::now());
    for token in tokens {
        verifier.verify(token, METHOD).await?;
        count += 1;
    }
    Ok(begin.elapsed() / count)
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
