/** What a person who meets a code wants to know. Both texts are one plain sentence. */
export interface ErrorEntry {
  /** What the storage API answers with. Absent: no answer to a request holds the code. */
  readonly status?: number
  readonly meaning: string
  /** What to do. */
  readonly remedy: string
}
