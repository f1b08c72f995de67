/** Whether there is a page at this address. One that asks to sign in is there. */
export const isServed = async (url: string): Promise<boolean> => {
  const reply = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) })
  await reply.body?.cancel()
  return reply.status < 400 && !reply.headers.get('content-type')?.startsWith('application/json')
}
