/** Size of all panels, in pixels. */
export const WIDTH = 64;
export const HEIGHT = 32;
