/** The pages of one device, and what is done with several, as one script. */
import "../main"; // what it shares with the first script stays in that one

export { addFiles } from "../devices/added";
export { Together } from "../devices/together";
export { DevicePage } from "./device";
export { NewDevicePage } from "./device_new";
export { DevicesList } from "./devices_list";
export { SharePage } from "./share";
export { WelcomePage } from "./welcome";
