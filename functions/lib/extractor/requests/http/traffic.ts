/** What a run has asked of its API so far, all legs together. */
export interface Traffic {
  /** Requests that were sent, logins, redirects and retries among them. */
  requests: number
  /** Of bodies, unpacked. */
  bytes: number
  /** How often and how long all requests waited for the API to take more. */
  waits: number
  waitedSeconds: number
  /** Answers that were as the run before had kept them (`api.http.conditional`). Absent: none. */
  unchanged?: number
  /** Answers that could have been kept, but for the limits or a secret in them. Absent: none. */
  notKept?: number
}

export const newTraffic = (): Traffic => ({ requests: 0, bytes: 0, waits: 0, waitedSeconds: 0 })
