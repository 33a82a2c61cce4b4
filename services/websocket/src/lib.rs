//! causeway-websocket
