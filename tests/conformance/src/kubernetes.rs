//! The Kubernetes API. The list is complete: a behaviour that is not in it is dead code, which the compiler refuses.

macro_rules! behaviours {
    () => {
        crate::suite! { kubernetes {
            lists {
                a_list_tells_its_kind_and_revision_and_items_carry_no_kind_of_their_own,
            }
        } }
    };
}
pub(crate) use behaviours;

pub(crate) mod lists;
