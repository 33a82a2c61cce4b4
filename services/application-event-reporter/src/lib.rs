//! causeway-application-event-reporter
