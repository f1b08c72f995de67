import type { TokenBody } from '#lib/wire/token-body.ts'
import { readable } from '../format.ts'
import { Empty, Grid } from '../layout.tsx'
import { Confirm, Time } from '../parts.tsx'

export const TokenList = ({ tokens, made }: { tokens: readonly TokenBody[]; made?: string | undefined }) => (
  <>
    {made !== undefined && (
      <section class="panel" role="status">
        <h2>The new token</h2>
        <p>
          <code>{made}</code>
        </p>
        <p class="hint">Copy it now: it is shown this once.</p>
      </section>
    )}
    {tokens.length === 0 ? (
      <Empty>No token.</Empty>
    ) : (
      <Grid caption="Tokens" head={['Token', 'Id', 'May', 'Created', 'Expires', 'Action']}>
        {tokens.map(token => (
          <tr>
            <th scope="row">{token.description || token.id}</th>
            <td>{token.id}</td>
            <td class="cell">{rightsOf(token)}</td>
            <td>
              <Time at={token.created} />
            </td>
            <td>{token.expires ? <Time at={token.expires} /> : 'never'}</td>
            <td>
              {!token.isMasterToken && (
                <Confirm
                  id={`delete-${token.id}`}
                  verb="Delete the token"
                  label="Delete"
                  action={`/console/tokens/${token.id}/delete`}
                >
                  Whoever uses “{token.description}” is refused from then on. It cannot be brought back.
                </Confirm>
              )}
            </td>
          </tr>
        ))}
      </Grid>
    )}
    <h2>New token</h2>
    <form method="post" action="/console/tokens" class="panel narrow">
      <label>
        Description
        <input name="description" required maxlength={255} />
      </label>
      <label>
        Expires in hours; empty: never
        <input name="hours" type="number" min={1} max={8760} />
      </label>
      <label>
        Bucket; empty: none
        <input name="bucket" placeholder="in.c-main" />
      </label>
      <label>
        Right on the bucket
        <select name="permission">
          <option value="read">read</option>
          <option value="write">write</option>
        </select>
      </label>
      <label class="inline">
        <input type="checkbox" name="canManageBuckets" value="1" /> may do everything with all buckets
      </label>
      <button type="submit" class="btn-primary">
        Make the token
      </button>
    </form>
  </>
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
