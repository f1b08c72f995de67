import { type Exchange, exchange, type Reply } from '../../functions/lib/storage-client/exchange.ts'

/** Sends a request. A refusal that names the right that the token lacks also says which command makes one that has it. */
export const exchangeWithGrants = async (sent: Exchange): Promise<Reply> => {
  const reply = await exchange(sent)
  if (reply.status !== 403 || reply.text === undefined) return reply
  try {
    const body = JSON.parse(reply.text) as { error?: unknown; contextParams?: { missing?: unknown } } // what the API says of a refusal
    const { missing } = body.contextParams ?? {}
    if (typeof missing !== 'string') return reply
    return { ...reply, text: JSON.stringify({ ...body, error: `${body.error} ${grantOf(missing)}` }) }
  } catch {
    return reply // no JSON: the status says enough
  }
}

/** Words of `contextParams.missing` (docs/reference/storage-api.md#tokens-and-rights), and the option that gives the right. */
const options: readonly (readonly [missing: RegExp, option: string])[] = [
  [/^(read|write|manage) on the bucket (\S+)$/, '--bucket $2=$1'],
  [/^the component (\S+)$/, '--component $1'],
  [/^all buckets /, '--manage-buckets'],
]

const grantOf = (missing: string): string => {
  const lacks = `The token lacks ${missing}.`
  for (const [pattern, option] of options) {
    const found = pattern.exec(missing)
    if (found === null) continue
    const given = option.replace('$2', found[2] ?? '').replace('$1', found[1] ?? '')
    return `${lacks} With the master token: millrace tokens create --description TEXT ${given}`
  }
  return lacks
}
