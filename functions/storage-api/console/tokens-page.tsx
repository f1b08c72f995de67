import { z } from 'zod'
import type { ApiClient } from './api-client.ts'
import { tokenSchema } from './schemas.ts'
import { TokenList } from './views/tokens.tsx'

/** @param made the value of a token that was made right now; shown once */
export const tokensPage = async (client: ApiClient, made?: string) => ({
  title: 'Tokens',
  body: <TokenList tokens={await client.get('tokens', z.array(tokenSchema))} made={made} />,
})
