import type { z } from 'zod'
import { readable } from '../format.ts'
import { Empty, Facts, Grid, Problem } from '../layout.tsx'
import type { componentSchema, configurationSchema, versionContentSchema, versionSchema } from '../schemas.ts'
import { sideBySide } from '../side-by-side.ts'

type Component = z.output<typeof componentSchema>
type Configuration = z.output<typeof configurationSchema>
type Version = z.output<typeof versionSchema>

/** Path of a configuration's page. Ids may hold any character. */
export const pathOf = (componentId: string, configurationId: string): string =>
  `/console/configurations/${encodeURIComponent(componentId)}/${encodeURIComponent(configurationId)}`

export const ConfigurationList = ({ components }: { components: readonly Component[] }) =>
  components.length === 0 ? (
    <Empty>
      No configuration yet. An extraction begins with one:{' '}
      <code>POST /v2/storage/components/ex-generic-v2/configs</code>.
    </Empty>
  ) : (
    components.map(component => (
      <section class="panel">
        <h2>{component.name || component.id}</h2>
        <Grid
          caption={`Configurations of ${component.id}`}
          head={['Configuration', 'Name', 'Version', 'Last change', 'Rows']}
        >
          {component.configurations.map(one => (
            <tr>
              <th scope="row">
                <a href={pathOf(component.id, one.id)}>{one.id}</a>
              </th>
              <td>
                {one.name}
                {one.isDisabled && ' (disabled)'}
              </td>
              <td class="number">{one.version}</td>
              <td>{one.changeDescription || '–'}</td>
              <td class="number">{one.rows.length}</td>
            </tr>
          ))}
        </Grid>
      </section>
    ))
  )

interface DetailProps {
  componentId: string
  configuration: Configuration
  versions: readonly Version[]
  /** What was sent and refused: it stays in the editor. */
  draft?: { text: string; problem: string } | undefined
}

export const ConfigurationDetail = ({ componentId, configuration, versions, draft }: DetailProps) => {
  const path = pathOf(componentId, configuration.id)
  return (
    <>
      <Facts
        of={[
          ['Component', componentId],
          ['Version', configuration.version],
          ['Created', configuration.created],
          ['Enabled', configuration.isDisabled ? 'no' : 'yes'],
        ]}
      />
      <div class="actions">
        <form method="post" action={`${path}/run`}>
          <button type="submit">Run now</button>
        </form>
      </div>
      <h2>Configuration</h2>
      {draft !== undefined && <Problem>{draft.problem}</Problem>}
      <form method="post" action={path} class="editor" data-json="configuration">
        <label>
          JSON. Values of keys that begin with # are sealed; a sealed one stays as it is when you leave it.
          <textarea name="configuration" rows={24} spellcheck={false}>
            {draft?.text ?? readable(configuration.configuration)}
          </textarea>
        </label>
        <p class="hint" data-problem aria-live="polite"></p>
        <label>
          What changes, for the history
          <input name="changeDescription" />
        </label>
        <input type="hidden" name="version" value={configuration.version} />
        <button type="submit">Save</button>
      </form>
      {configuration.rows.length > 0 && (
        <>
          <h2>Rows</h2>
          <ol>
            {configuration.rows.map(row => (
              <li>
                {row.name || row.id}
                {row.isDisabled && ' (disabled)'}
              </li>
            ))}
          </ol>
        </>
      )}
      <h2>State</h2>
      <pre>{readable(configuration.state) || '–'}</pre>
      <h2>Versions</h2>
      <Grid caption="Versions" head={['Version', 'When', 'By', 'What changed', 'Comparison']}>
        {versions.map(version => (
          <tr>
            <th scope="row">{version.version}</th>
            <td>{version.created}</td>
            <td>{version.creatorToken?.description ?? ''}</td>
            <td>{version.changeDescription}</td>
            <td>
              {version.version !== configuration.version && (
                <a href={`${path}/versions/${version.version}`}>Compare with the current one</a>
              )}
            </td>
          </tr>
        ))}
      </Grid>
    </>
  )
}

interface ComparisonProps {
  componentId: string
  old: z.output<typeof versionContentSchema>
  current: Configuration
}

export const VersionComparison = ({ componentId, old, current }: ComparisonProps) => {
  const path = pathOf(componentId, current.id)
  const lines = sideBySide(readable(old.configuration), readable(current.configuration))
  return (
    <>
      <p>
        <a href={path}>{current.name || current.id}</a>: version {old.version} left, the current version{' '}
        {current.version} right.
      </p>
      <form method="post" action={`${path}/versions/${old.version}/rollback`} class="actions">
        <button type="submit">Go back to version {old.version}</button>
      </form>
      <Grid caption="Differences" head={[`Version ${old.version}`, `Version ${current.version}`]}>
        {lines.map(({ left, right }) => (
          <tr class={left === right ? '' : 'changed'}>
            <td class="code">{left ?? ''}</td>
            <td class="code">{right ?? ''}</td>
          </tr>
        ))}
      </Grid>
    </>
  )
}
