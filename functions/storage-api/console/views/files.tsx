import type { FileBody } from '#lib/wire/file-body.ts'
import { bytes } from '../format.ts'
import { Empty, Facts, Grid } from '../layout.tsx'
import { Confirm, Time } from '../parts.tsx'

export const FileList = ({ q, files }: { q: string; files: readonly FileBody[] }) => (
  <>
    <form class="filter" action="/console/files">
      <label>
        Search, such as <code>tags:export</code> or a part of the name
        <input type="search" name="q" value={q} />
      </label>
      <button type="submit">Search</button>
    </form>
    {files.length === 0 ? (
      <Empty icon="file" action={<a href="/console/drop">Drop a file</a>}>
        {q === '' ? 'No file yet.' : 'No file matches.'}
      </Empty>
    ) : (
      <Grid caption="Files" head={['File', { number: 'Size' }, 'Tags', 'Created', { number: 'Id' }]}>
        {files.map(file => (
          <tr>
            <th scope="row">
              <a href={`/console/files/${file.id}`}>{file.name || file.id}</a>
            </th>
            <td class="number">{file.isSliced ? 'sliced' : bytes(file.sizeBytes)}</td>
            <td>{file.tags.join(', ')}</td>
            <td>
              <Time at={file.created} />
            </td>
            <td class="number">{file.id}</td>
          </tr>
        ))}
      </Grid>
    )}
  </>
)

interface FileDetailProps {
  file: FileBody
  /** Addresses of its slices, when it is sliced, and how many there are. */
  slices: { links: readonly string[]; slices: number }
  /** Those that the job of its export names; none when it is not known. */
  columns: readonly string[]
}

export const FileDetail = ({ file, slices, columns }: FileDetailProps) => (
  <>
    <Facts
      of={[
        ['Id', file.id],
        ['Size', file.isSliced ? 'sliced' : bytes(file.sizeBytes)],
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
      <Confirm id="delete" verb="Delete the file" action={`/console/files/${file.id}/delete`}>
        Tables that were loaded from it stay. The file cannot be brought back.
      </Confirm>
    </div>
    {file.isSliced && (
      <>
        <h2>Slices</h2>
        {/\.csv(\.gz)?$/.test(file.name) && slices.links.length === slices.slices && (
          <JoinButton name={file.name} columns={columns} />
        )}
        <ol data-slices>
          {slices.links.map((link, index) => (
            <li>
              <a href={link} rel="noreferrer">
                Slice {index + 1}
              </a>
            </li>
          ))}
        </ol>
        {slices.links.length < slices.slices && (
          <p class="hint">
            The first {slices.links.length} of {slices.slices}.
          </p>
        )}
        <p class="hint">
          Slices of CSV have no header line. <code>npx millrace download {file.id}</code> puts them together
          (with <code>--slices</code> it does not), and <code>npx millrace tables export TABLE</code> adds the
          header.
        </p>
      </>
    )}
  </>
)

/** Shown by the script that does it. */
const JoinButton = ({ name, columns }: { name: string; columns: readonly string[] }) => (
  <>
    <p>
      <button
        type="button"
        class="btn-primary"
        hidden
        data-join={name}
        data-columns={JSON.stringify(columns)}
      >
        Download as one file, {columns.length === 0 ? 'without a header' : 'with a header'}
      </button>{' '}
      <span role="status" data-join-says></span>
    </p>
    {columns.length === 0 && (
      <p class="hint">Opened from the job that exported it, the file comes with its header.</p>
    )}
  </>
)
