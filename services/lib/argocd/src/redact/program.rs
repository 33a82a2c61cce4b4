//! Flags of known programs whose value is a password.

/// A flag and the ways to give its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    /// The value may follow without a space, as in `-pSECRET`.
    pub(super) attached: bool,
    /// The value may be the next argument.
    pub(super) separate: bool,
}

const ATTACHED: bool = true;
const SEPARATE: bool = true;

/// Programs with the flag of their password.
const PROGRAMS: [(&str, Flag); 17] = [
    // `mysql -p` alone asks for the password, and the next argument is a database.
    ("mysql", flag("-p", ATTACHED, false)),
    ("mysqladmin", flag("-p", ATTACHED, false)),
    ("mysqldump", flag("-p", ATTACHED, false)),
    ("mariadb", flag("-p", ATTACHED, false)),
    ("mariadb-dump", flag("-p", ATTACHED, false)),
    ("mariadb-admin", flag("-p", ATTACHED, false)),
    ("redis-cli", flag("-a", false, SEPARATE)),
    ("valkey-cli", flag("-a", false, SEPARATE)),
    ("sshpass", flag("-p", ATTACHED, SEPARATE)),
    ("mongo", flag("-p", false, SEPARATE)),
    ("mongosh", flag("-p", false, SEPARATE)),
    ("mongodump", flag("-p", false, SEPARATE)),
    ("mongorestore", flag("-p", false, SEPARATE)),
    ("ldapsearch", flag("-w", ATTACHED, SEPARATE)),
    ("ldapmodify", flag("-w", ATTACHED, SEPARATE)),
    ("sqlcmd", flag("-P", ATTACHED, SEPARATE)),
    ("rabbitmqadmin", flag("-p", false, SEPARATE)),
];

const fn flag(name: &'static str, attached: bool, separate: bool) -> Flag {
    Flag {
        name,
        attached,
        separate,
    }
}

/// Returns the password flag of a program, given by its name or path.
pub(super) fn password_flag(program: &str) -> Option<Flag> {
    let name = program.rsplit('/').next()?;
    let found = PROGRAMS.iter().find(|(known, _)| *known == name)?;
    Some(found.1)
}

impl Flag {
    /// Returns the value in an argument such as `-pSECRET`.
    pub(super) fn attached_value<'a>(&self, argument: &'a str) -> Option<&'a str> {
        let value = argument.strip_prefix(self.name)?;
        (self.attached && !value.is_empty()).then_some(value)
    }

    /// Returns true if the argument after this one is the value.
    pub(super) fn precedes_value(&self, argument: &str) -> bool {
        self.separate && argument == self.name
    }
}
