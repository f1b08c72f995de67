const INVOCATION_PATH = /^\/2015-03-31\/functions\/([\w-]{1,64})\/invocations$/

/** Lambda speaks REST. An invocation, from its path, in the form of the other services: name of the function and event. */
export const readInvocation = (
  method: string,
  url: string,
  event: () => unknown,
): { target: string; input: () => unknown } | undefined => {
  const [, name] = (method === 'POST' && INVOCATION_PATH.exec(url)) || []
  return name === undefined
    ? undefined
    : { target: 'AWSLambda.Invoke', input: () => ({ name, event: event() }) }
}
