// Fills the callback tables of all rooms: the one place that shows the calls from lower rooms into higher ones.
#include "vm/adaptive/codesampling.h"
#include "vm/adaptive/compilequeue.h"
#include "vm/adaptive/methodcounts.h"
#include "vm/adaptive/tiering.h"
#include "vm/api/profiler.h"
#include "vm/boot/callbacks.h"
#include "vm/boot/heapglue.h"
#include "vm/boot/subsystems.h"
#include "vm/code/code.h"
#include "vm/code/entry.h"
#include "vm/code/hooks.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/eventwait.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/profilecontrol.h"
#include "vm/interp/hooks.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/interp.h"
#include "vm/jni/hooks.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/library.h"
#include "vm/jvm/oldverifier.h"
#include "vm/jvm/profileapi.h"
#include "vm/linking/classinit.h"
#include "vm/linking/hooks.h"
#include "vm/linking/interfacecall.h"
#include "vm/linking/link.h"
#include "vm/loading/arrayclass.h"
#include "vm/loading/hooks.h"
#include "vm/loading/loader.h"
#include "vm/management/attach.h"
#include "vm/management/perfdata.h"
#include "vm/natives/hooks.h"
#include "vm/natives/intrinsics.h"
#include "vm/natives/methodhandle.h"
#include "vm/natives/reflect.h"
#include "vm/objects/hooks.h"
#include "vm/objects/string.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/hooks.h"
#include "vm/services/hooks.h"
#include "vm/services/javathread.h"
#include "vm/services/outofmemory.h"
#include "vm/shadow/hooks.h"
#include "vm/shadow/shadow.h"
#include "vm/template/hooks.h"
#include "vm/template/template.h"
#include "vm/threads/hooks.h"
#include "vm/timing/tick.h"

const ThreadHooks thread_hooks = {
    .throw_wk = throw_wk,
    .throw_oom = throw_oom,
    .table = interp_table,
    .create_attached = javathread_create_attached,
    .new_daemon = javathread_new_daemon,
    .run = javathread_run,
    .exit = javathread_exit,
    .start_in_place = javathread_start_in_place,
    .main_group = javathread_main_group,
    .text = string_to_utf8,
    .started = callback_thread_started,
    .named = profile_thread_name,
    .ending = callback_thread_ending,
    .wait_for_sinks = eventwait_serve,
    .pthread_begins = tick_pthread_begins,
    .pthread_ends = tick_pthread_ends,
    .jni = &jni_functions,
};

const InstrumentHooks instrument_hooks = {
    .profiler = &profiler_interface,
    .make_tables = interp_instrument,
    .table = interp_table,
    .invalidate_all_code = callback_leave_all_code,
    .begin_counting = flow_begin,
    .pause_counting = flow_pause,
    .record_counts = flow_record,
    .read_counters = callback_read_counters,
    .hand_in_counters = callback_hand_in_counters,
    .forget_counters = callback_forget_counters,
    .compilations_begun = compilequeue_begun,
    .compilations_finished = compilequeue_finished,
    .polled = callback_polled,
    .prepare_shadows = compilequeue_prepare_all,
    .prepare_none = compilequeue_prepare_none,
    .start_shadows = shadow_start_late,
    .report_shadows = shadow_report,
    .close_shadows = shadow_close,
    .finish_shadows = shadow_finish,
    .await_shadows = shadow_await,
    .forget_shadows = shadow_forget,
    .sample_time = tick_sample,
    .stop_sampling_time = tick_stop,
    .end_sampling_time = tick_end,
    .take_record = tick_take_record,
    .read_system_counters = tick_read_counters,
};

const ShadowHooks shadow_hooks = {
    .fork = process_fork_shadow,
    .enter_prepared_code = code_enter_prepared,
    .keep_code = code_keep,
    .code_addresses = code_addresses,
    .hold_libraries = library_hold,
    .release_libraries = library_release,
};

const ObjectHooks object_hooks = {
    .throw_wk = throw_wk,
    .throw_oom = throw_oom,
    .throw_npe = throw_npe,
    .out_of_memory = outofmemory_report,
    .link_class = class_link,
    .array_of = class_array_of,
    .register_finalizer = callback_register_finalizer,
};

const RuntimeHooks runtime_hooks = {
    .boot_class = callback_boot_class,
    .initialize_class = class_initialize,
    .select_virtual = class_select_virtual,
    .run = interp_run,
    .halt = interp_halt,
    .find_code = code_find,
    .code_stack_map = code_stack_map,
};

const LoadingHooks loading_hooks = {
    .link_class = class_link,
    .vtable_made = interfacecall_begin,
};

const LinkingHooks linking_hooks = {
    .bind_intrinsic = intrinsic_bind,
    .sigpoly_method = mh_intrinsic_method,
    .method_handle = mh_resolve_method_handle_constant,
    .method_type = mh_resolve_method_type_constant,
    .dynamic = mh_resolve_dynamic,
    .box = reflect_box,
    .unbox = reflect_unbox,
    .link_method = interp_link_method,
    .class_linked = code_class_linked,
    .infer_types = oldverifier_infer,
};

const NativesHooks natives_hooks = {.map_perfdata = perfdata_map, .calls_static = profilecontrol_calls};

const JniHooks jni_hooks = {.own_native = profileapi_native, .calls_static = profilecontrol_calls};

const InterpHooks interp_hooks = {
    .entered_from_code = compiled_to_interpreter,
    .call_code = entry_call,
    .replace_frame = entry_replace,
    .first_call = tiering_first_call,
    .hot_method = tiering_hot_method,
    .hot_loop = tiering_hot_loop,
    .sample_call = codesampling_called,
    .enter_template = template_enter,
    .template_begin = template_begin,
    .template_at = template_entry_at,
    .left_template = template_left,
    .sampled_return = template_sampled_return,
    .update_template_entry = template_update_entry,
};

const TemplateHooks template_hooks = {
    .method_counts = methodcounts_make,
    .recent_counts = methodcounts_make_recent,
};

const CodeHooks code_hooks = {
    .hot_method = tiering_hot_method,
    .outer_backedges = tiering_outer_backedges,
    .deoptimized = tiering_deoptimized,
    .begin_sample = codesampling_begin,
    .left_for_sample = codesampling_left,
    .template_return_at = template_return_at,
    .called_by_code = template_called_by_code,
};

const ServiceHooks service_hooks = {
    .may_fault = callback_may_fault,
    .attach_requested = attach_requested,
    .each_thread_root = heapglue_each_thread_root,
    .each_global_root = heapglue_each_global_root,
    .stop_subsystems = subsystems_stop,
};
