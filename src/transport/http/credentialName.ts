/** n8n's name of the credential that all nodes send with. */
export const CREDENTIAL = 'mediaGenApi';
