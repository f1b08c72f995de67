import { z } from 'zod'

/** Trino, "Client REST API": an answer, and where the next one is. */
const answer = z.object({
  nextUri: z.string().optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: z.object({ message: z.string(), errorName: z.string() }).optional(),
})

/** Runs a statement to its end. Resolves to its rows. */
export const queryTrino = async (url: string, text: string): Promise<unknown[][]> => {
  const headers = {
    'x-trino-user': 'engines',
    // Else times are cut to milliseconds
    'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
  }
  const rows: unknown[][] = []
  const read = async (response: Response) => answer.parse(await response.json())
  let found = await read(await fetch(`${url}/v1/statement`, { method: 'POST', headers, body: text }))
  for (;;) {
    rows.push(...(found.data ?? []))
    if (found.error) throw new Error(`${found.error.errorName}: ${found.error.message}`)
    if (found.nextUri === undefined) return rows
    found = await read(await fetch(found.nextUri, { headers }))
  }
}
