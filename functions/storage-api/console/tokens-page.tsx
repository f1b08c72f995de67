import { tokenBody } from '../../lib/wire/token-body.ts'
import type { ApiClient } from './api-client.ts'
import { TokenList } from './views/tokens.tsx'

/** @param made the value of a token that was made right now; shown once */
export const tokensPage = async (client: ApiClient, made?: string) => ({
  title: 'Tokens',
  body: <TokenList tokens={await client.list('tokens', tokenBody)} made={made} />,
})
