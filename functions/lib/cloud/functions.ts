/** The answer of a function, or what a function that failed leaves in its place. */
type Invocation = { answer: unknown } | { failure: unknown }

/** Calls another function and waits for it. Event and answer are plain JSON. */
export type InvokeFunction = (functionName: string, event: unknown) => Promise<Invocation>
