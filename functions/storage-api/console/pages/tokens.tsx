import { newTokenBody, type TokenBody, tokenBody } from '#lib/wire/token-body.ts'
import { type ApiClient, path } from '../api-client.ts'
import { readable } from '../format.ts'
import { Confirm, Field } from '../forms.tsx'
import { List } from '../list.tsx'
import { Empty, Time } from '../parts.tsx'
import { type Built, form, page } from '../route.ts'

const TOKENS = '/console/tokens'

export const tokenPages = [
  page(TOKENS, ({ client }) => tokensPage(client)),
  form(TOKENS, async ({ client, form: sent }) => {
    const { description = '', hours = '', bucket = '', permission = 'read', canManageBuckets } = sent
    const body = {
      description,
      canManageBuckets: canManageBuckets === '1',
      ...(hours === '' ? {} : { expiresIn: Number(hours) * 3600 }),
      ...(bucket === '' ? {} : { bucketPermissions: { [bucket]: permission } }),
    }
    const { token } = await client.send('POST', 'tokens', body, newTokenBody)
    return tokensPage(client, token)
  }),
  form(`${TOKENS}/:id/delete`, async ({ client, params: { id } }) => {
    await client.send('DELETE', path`tokens/${id}`)
    return { redirect: TOKENS, said: { text: 'The token was deleted.' } }
  }),
]

/** @param made the value of a token that was made right now; shown once */
const tokensPage = async (client: ApiClient, made?: string): Promise<Built> => ({
  title: 'Tokens',
  body: (
    <>
      {made !== undefined && (
        <section class="panel" role="status">
          <h2>The new token</h2>
          <p>
            <code>{made}</code>
          </p>
          <p class="hint">
            Copy it now: it is shown this once. It stays when you sign out, until it is deleted or expires.
          </p>
        </section>
      )}
      <List
        caption="Tokens"
        of={await client.list('tokens', tokenBody)}
        empty={<Empty>No token.</Empty>}
        columns={[
          ['Token', ({ id, description }) => description || id, 'name'],
          ['Id', ({ id }) => id],
          ['May', rightsOf, 'cell'],
          ['Created', ({ created }) => <Time at={created} />],
          ['Expires', ({ expires }) => (expires ? <Time at={expires} /> : 'never')],
          ['Action', token => !token.isMasterToken && <Delete token={token} />],
        ]}
      />
      <h2>New token</h2>
      <form method="post" action={TOKENS} class="panel narrow">
        <Field label="Description" name="description" required maxlength={255} />
        <Field label="Expires in hours; empty: never" name="hours" type="number" min={1} max={8760} />
        <Field label="Bucket; empty: none" name="bucket" placeholder="in.c-main" />
        <Field
          label="Right on the bucket"
          name="permission"
          options={[
            ['read', 'read'],
            ['write', 'write'],
          ]}
        />
        <Field label="may do everything with all buckets" name="canManageBuckets" type="checkbox" />
        <button type="submit" class="btn-primary">
          Make the token
        </button>
      </form>
    </>
  ),
})

const Delete = ({ token: { id, description } }: { token: TokenBody }) => (
  <Confirm id={`delete-${id}`} verb="Delete the token" label="Delete" to={`${TOKENS}/${id}/delete`}>
    Whoever uses “{description}” is refused from then on. It cannot be brought back.
  </Confirm>
)

const rightsOf = (token: TokenBody): string => {
  if (token.isMasterToken) return 'everything'
  if (token.canManageBuckets) return 'all buckets'
  return (
    readable(token.bucketPermissions)
      .replaceAll(/[{}"\n]/g, '')
      .trim() || 'nothing on buckets'
  )
}
