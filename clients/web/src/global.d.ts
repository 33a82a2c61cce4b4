/** The version that this UI was built as. */
declare const __VERSION__: string;
