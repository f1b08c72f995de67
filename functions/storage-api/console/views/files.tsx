import { bytes } from '../format.ts'
import { Empty, Facts, Grid } from '../layout.tsx'
import type { StoredFile } from '../schemas.ts'

export const FileList = ({ q, files }: { q: string; files: readonly StoredFile[] }) => (
  <>
    <form class="filter" action="/console/files">
      <label>
        Search, such as <code>tags:export</code> or a part of the name
        <input type="search" name="q" value={q} />
      </label>
      <button type="submit">Search</button>
    </form>
    {files.length === 0 ? (
      <Empty>No file.</Empty>
    ) : (
      <Grid caption="Files" head={['File', 'Name', 'Size', 'Tags', 'Created']}>
        {files.map(file => (
          <tr>
            <th scope="row">
              <a href={`/console/files/${file.id}`}>{file.id}</a>
            </th>
            <td>{file.name}</td>
            <td class="number">{file.isSliced ? 'sliced' : bytes(file.sizeBytes)}</td>
            <td>{file.tags.join(', ')}</td>
            <td>{file.created}</td>
          </tr>
        ))}
      </Grid>
    )}
  </>
)

export const FileDetail = ({ file }: { file: StoredFile }) => (
  <>
    <Facts
      of={[
        ['Name', file.name],
        ['Size', file.isSliced ? 'sliced' : bytes(file.sizeBytes)],
        ['Tags', file.tags.join(', ') || '–'],
        ['Created', file.created],
        [
          'Kept for',
          file.maxAgeDays === null || file.maxAgeDays === undefined ? 'good' : `${file.maxAgeDays} days`,
        ],
        ['Encrypted', file.isEncrypted ? 'yes' : 'no'],
        ['Run', file.runId || '–'],
      ]}
    />
    <div class="actions">
      {!file.isSliced && (
        <a class="button" href={file.url} rel="noreferrer">
          Download
        </a>
      )}
      <form method="post" action={`/console/files/${file.id}/delete`}>
        <button type="submit" class="danger">
          Delete
        </button>
      </form>
    </div>
    {file.isSliced && (
      <p class="hint">
        A sliced file has no single address. <code>npx millrace download {file.id}</code> puts its slices
        together.
      </p>
    )}
  </>
)
