/**
 * The `config.json` of one run of the component (docs/reference/storage-api.md#how-rows-run): `processors` never get
 * there, and `image_parameters` and `action` are the platform's, whatever was stored under their names. What only the
 * runner reads stays out too.
 */
export const componentConfig = (
  configuration: Record<string, unknown>,
  imageParameters: Record<string, unknown>,
): Record<string, unknown> => {
  const { processors: _, schedule: __, continueOnFailure: ___, ...rest } = configuration
  return { ...rest, image_parameters: imageParameters, action: 'run' }
}
