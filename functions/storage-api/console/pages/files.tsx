import { type FileBody, fileBody } from '#lib/wire/file-body.ts'
import { path, query } from '../api-client.ts'
import { bytes } from '../format.ts'
import { Confirm, SearchForm } from '../forms.tsx'
import { List } from '../list.tsx'
import { Empty, Facts, Time } from '../parts.tsx'
import { form, page } from '../route.ts'

const FILES_SHOWN = 100

const sizeOf = ({ isSliced, sizeBytes }: FileBody): string => (isSliced ? 'sliced' : bytes(sizeBytes))

export const filePages = [
  page('/console/files', async ({ client, query: { q = '' } }) => {
    const files = await client.list(`files${query({ q, limit: FILES_SHOWN })}`, fileBody)
    return {
      title: 'Files',
      body: (
        <>
          <SearchForm
            to="/console/files"
            q={q}
            label={
              <>
                Search, such as <code>tags:export</code> or a part of the name
              </>
            }
          />
          <List
            caption="Files"
            of={files}
            empty={
              <Empty icon="file" action={<a href="/console/drop">Drop a file</a>}>
                {q === '' ? 'No file yet.' : 'No file matches.'}
              </Empty>
            }
            columns={[
              ['File', ({ id, name }) => <a href={`/console/files/${id}`}>{name || id}</a>, 'name'],
              ['Size', sizeOf, 'number'],
              ['Tags', ({ tags }) => tags.join(', ')],
              ['Created', ({ created }) => <Time at={created} />],
              ['Id', ({ id }) => id, 'number'],
            ]}
          />
        </>
      ),
    }
  }),
  page('/console/files/:id', async ({ client, params: { id } }) => {
    const file = await client.get(path`files/${id}`, fileBody)
    return {
      title: file.name || `File ${file.id}`,
      body: (
        <>
          <Facts
            of={[
              ['Id', file.id],
              ['Size', sizeOf(file)],
              ['Tags', file.tags.join(', ') || '–'],
              ['Created', <Time at={file.created} />],
              ['Kept for', file.maxAgeDays === null ? 'good' : `${file.maxAgeDays} days`],
              ['Encrypted', file.isEncrypted ? 'yes' : 'no'],
              ['Run', file.runId || '–'],
            ]}
          />
          <div class="actions">
            {!file.isSliced && (
              <a class="btn btn-primary" href={file.url} rel="noreferrer">
                Download
              </a>
            )}
            <Confirm id="delete" verb="Delete the file" to={`/console/files/${file.id}/delete`}>
              Tables that were loaded from it stay. The file cannot be brought back.
            </Confirm>
          </div>
          {file.isSliced && <Slices of={file.id} />}
        </>
      ),
    }
  }),
  form('/console/files/:id/delete', async ({ client, params: { id } }) => {
    await client.send('DELETE', path`files/${id}`)
    return { redirect: '/console/files', said: { text: 'The file was deleted.' } }
  }),
]

const Slices = ({ of }: { of: number }) => (
  <p class="hint">
    <code>npx millrace download {of}</code> puts its slices together, with <code>--slices</code> it does not.{' '}
    <code>npx millrace download TABLE</code> adds the header, which slices of CSV have not.
  </p>
)
