# Labels of tests: `gpu` of what only a GPU runs, `full` of what takes more than five seconds on two cores or builds Sinter
# once more, `quick` of all the others, which take a minute together (ctest -L quick).
set(sinter_gpu_tests
  cuda_runtime example_tensor_library_cuda reduction_capture stream_gpu)
set(sinter_long_tests
  argument_block attempt bench_kernel_runs cache_directory_faults cache_directory_store check_as_module_of_clang_tidy
  check_finds_and_fixes check_of_a_target combining_kernels compile_fail_clang compile_fail_gcc
  compile_fail_nvcc compile_pool compiles_contract_nvcc compiles_guide_nvcc compiles_names_clang compiles_names_nvcc
  complex cpu_resident_rows cpu_vector_code cuda_simulator deep_graphs determinism device_functions device_functions_exact drawn_calls
  element_kernels emit_compile empty_and_masked_reductions empty_arrays environment_is_read_in_one_place explain extern_function flat_memory gpu_check fuzz_code_image fuzz_entry
  fuzz_key fuzz_pack fuzz_recording gather_kernels halves_of_integers shape_generic_kernel shape_generic_values cpu_library_calls cpu_pieces many_axes narrow_integers
  negative_zero_sums loading_does_no_work order_kernels private_updates_kernels random_kernels recomputed_by_cuts
  resident_sorts scatter_kernels scatter_types sort_kernels used_element_kernels
  outside_debs outside_headers outside_nvcc outside_other_version outside_page_make_static outside_static outside_static_install outside_static_nvcc
  outside_subdirectory outside_users outside_users_clang outside_versions packs_packed_levels
  packs_packed_program packs_recorded_app part_calls part_doors part_kernels pieces_of_rows product_kernels reduction_classes refused_allocations_gpu stencil_kernels sweep_casts sweep_complex sweep_fast_special_values sweep_integer_trees sweep_large sweep_layouts
  sweep_modes sweep_operations sweep_programs sweep_pairs sweep_reductions sweep_scans sweep_short_rows values_across_scans weak_scalars)

# Labels the tests of a folder; called at the end of its CMakeLists.txt.
function(sinter_label_tests)
  get_property(names DIRECTORY PROPERTY TESTS)
  foreach(name IN LISTS names)
    if(name IN_LIST sinter_gpu_tests)
      set(label gpu)
    elseif(name IN_LIST sinter_long_tests)
      set(label full)
    else()
      set(label quick)
    endif()
    set_property(TEST ${name} APPEND PROPERTY LABELS ${label})
  endforeach()
endfunction()
