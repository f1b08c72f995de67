/** What a run has asked of its API so far, all legs together. */
export interface Traffic {
  /** Requests that were sent, logins, redirects and retries among them. */
  requests: number
  /** Of bodies, unpacked. */
  bytes: number
  /** How often and how long all requests waited for the API to take more. */
  waits: number
  waitedSeconds: number
}

export const newTraffic = (): Traffic => ({ requests: 0, bytes: 0, waits: 0, waitedSeconds: 0 })
