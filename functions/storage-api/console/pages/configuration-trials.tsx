import { previewResult } from '#lib/extractor/run/preview-schemas.ts'
import type { ApiClient } from '../api-client.ts'
import { Act, Field } from '../forms.tsx'
import { Preview } from '../preview.tsx'
import { type Built, form } from '../route.ts'
import { apiPath, CONFIGURATION, type Place, pagePath, stored } from './configurations.tsx'

const DEFAULT_ROWS = '10'

/** What comes of a configuration, and the form that tries it again. `rowId`: the row that is tried; empty: the first that is enabled. */
const benchPage = async (client: ApiClient, place: Place, rowId: string, rows: string): Promise<Built> => {
  const body = { rows, ...(rowId !== '' && { rowId }) }
  const [configuration, preview] = await Promise.all([
    stored(client, place),
    client.send('POST', `${apiPath(place)}/preview`, body, previewResult),
  ])
  const at = pagePath(place)
  const name = configuration.name || configuration.id
  const tried = configuration.rows.filter(row => !row.isDisabled || row.id === rowId)
  return {
    title: `Try ${name}`,
    crumbs: [[at, name]],
    body: (
      <>
        <form method="post" action={`${at}/bench`} class="filter">
          {tried.length > 0 && (
            <Field
              label="Row"
              name="rowId"
              options={tried.map(row => [row.id, row.name || row.id])}
              value={rowId}
            />
          )}
          <Field label="Rows of each job" type="number" name="rows" min={1} max={100} value={rows} />
          <button type="submit" class="btn-primary">
            Preview against the API
          </button>
        </form>
        <Preview
          preview={preview}
          next={<Act to={`${at}/run`} verb="Make it a table: run it now" form="actions" />}
        />
      </>
    ),
  }
}

/** Tries of a configuration. */
export const configurationTrials = [
  form(`${CONFIGURATION}/bench`, ({ client, params, form: { rowId = '', rows = DEFAULT_ROWS } }) =>
    benchPage(client, params, rowId, rows),
  ),
]
