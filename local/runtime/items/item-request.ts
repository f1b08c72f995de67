import { z } from 'zod'
import type { Reply } from './dynalite.ts'

/**
 * Does one operation of DynamoDB for this process itself, without HTTP and without a signature. Error: named as DynamoDB
 * names it.
 */
export type ItemRequest = (operation: string, input: object) => Promise<unknown>

const refusal = z.object({ __type: z.string(), message: z.string().default('') })

export const createItemRequest =
  (run: (operation: string, input: object) => Promise<Reply>): ItemRequest =>
  async (operation, input) => {
    // A copy without what is undefined, as it would arrive in a request.
    const { status, body } = await run(operation, JSON.parse(JSON.stringify(input)))
    if (status === 200) return body
    const { __type, message } = refusal.parse(body)
    throw Object.assign(new Error(message || `${operation} answered ${status}`), {
      name: __type.replace(/^.*#/, ''),
    })
  }
