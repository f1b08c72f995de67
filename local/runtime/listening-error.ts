/** For a port in use: an error that says what to do. Other errors are returned unchanged. */
export const listeningError = (
  error: unknown,
  { what, port, variable, bind }: { what: string; port: number; variable: string; bind: string },
): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const at = `${bind}:${port}`
  if (code === 'EADDRINUSE')
    return new Error(`${what} cannot listen at ${at}: the port is in use. Choose another with ${variable}.`, {
      cause: error,
    })
  if (code === 'EACCES')
    return new Error(
      `${what} cannot listen at ${at}: it is not permitted. Choose another port with ${variable}.`,
      {
        cause: error,
      },
    )
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new Error(
      `${what} cannot listen at ${at}: this machine has no such address. Change MILLRACE_BIND.`,
      {
        cause: error,
      },
    )
  return error
}
