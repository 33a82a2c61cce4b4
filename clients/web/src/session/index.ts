/** Who is signed in, and what happens when nobody is. */
export { loadSession, onResume, reportSignedOut, signOut, useSession, type Session, type User } from "./session";
