/** What a reply spends on a value: it is JSON in the JSON of a function's result. */
export const bytesInReply = (value: unknown): number =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(value) ?? ''))
