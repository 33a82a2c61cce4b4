/** The version that this UI was built as. */
declare const __VERSION__: string;
/** Address of the licence notices of what is shipped. */
declare const __NOTICES__: string;
