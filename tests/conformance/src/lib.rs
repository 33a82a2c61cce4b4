//! Behaviour of Kubernetes and Argo CD that Causeway relies on, tested on the sandbox and on the real thing.
//!
//! A behaviour is an `async fn(&World)` that asserts what the real thing does. Each is two tests, `sandbox::…` and
//! `real::…`. `DIFFERENCES.md` has a row for each accepted difference, which the behaviour reads by
//! [`target::World::differs`].

#[cfg(test)]
mod argocd;
#[cfg(test)]
mod differences;
#[cfg(test)]
mod kubernetes;
#[cfg(test)]
mod target;

/// Generates a test for each behaviour; `on_target` of the surrounding module selects the target.
#[cfg(test)]
macro_rules! suite {
    ($area:ident { $($topic:ident { $($behaviour:ident,)+ })+ }) => {
        mod $area {
            $(mod $topic {
                $(#[test]
                fn $behaviour() {
                    super::super::on_target(crate::$area::$topic::$behaviour);
                })+
            })+
        }
    };
}
#[cfg(test)]
use suite;

#[cfg(test)]
mod sandbox {
    use crate::target::on_sandbox as on_target;
    crate::argocd::behaviours!(on_sandbox);
    crate::kubernetes::behaviours!();
}

#[cfg(test)]
mod real {
    use crate::target::on_real as on_target;
    crate::argocd::behaviours!(on_real);
    crate::kubernetes::behaviours!();
}
