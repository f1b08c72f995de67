import { z } from 'zod'

/** Trino, "Client REST API": an answer, and where the next one is. */
const answer = z.object({
  nextUri: z.string().optional(),
  data: z.array(z.array(z.unknown())).optional(),
  updateCount: z.number().optional(),
  error: z.object({ message: z.string(), errorName: z.string() }).optional(),
})

export interface TrinoResult {
  rows: unknown[][]
  /** Rows that a statement has changed. */
  updated: number
}

/** Runs a statement to its end. `catalog`: in which names of two parts are looked up. */
export const queryTrino = async (url: string, text: string, catalog?: string): Promise<TrinoResult> => {
  const headers = {
    'x-trino-user': 'contracts',
    // Else times are cut to milliseconds
    'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
    ...(catalog !== undefined && { 'x-trino-catalog': catalog }),
  }
  const rows: unknown[][] = []
  const read = async (response: Response) => answer.parse(await response.json())
  let found = await read(await fetch(`${url}/v1/statement`, { method: 'POST', headers, body: text }))
  for (;;) {
    rows.push(...(found.data ?? []))
    if (found.error) throw new Error(`${found.error.errorName}: ${found.error.message}`)
    if (found.nextUri === undefined) return { rows, updated: found.updateCount ?? 0 }
    found = await read(await fetch(found.nextUri, { headers }))
  }
}
