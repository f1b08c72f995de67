const reasons: Readonly<Record<string, (variable: string) => string>> = {
  EADDRINUSE: variable => `the port is in use. Choose another with ${variable}.`,
  EACCES: variable => `it is not permitted. Choose another port with ${variable}.`,
  EADDRNOTAVAIL: () => 'this machine has no such address. Change MILLRACE_BIND.',
  ENOTFOUND: () => 'this machine has no such address. Change MILLRACE_BIND.',
}

/** Waits for a server. One that cannot listen there is an error that says what to do. */
export const listening = <Server>(
  starting: Promise<Server>,
  { what, port, variable, bind }: { what: string; port: number; variable: string; bind: string },
): Promise<Server> =>
  starting.catch((cause: unknown) => {
    const reason = cause instanceof Error && 'code' in cause && reasons[String(cause.code)]
    if (!reason) throw cause
    throw new Error(`${what} cannot listen at ${bind}:${port}: ${reason(variable)}`, { cause })
  })
