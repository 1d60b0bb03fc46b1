(** Plans that are good, and the nearest ones that are not.

    A kernel of four cells copies its input; x is given, t and y are computed: t = copy x, y = copy t. *)

From Coq Require Import NArith List Bool.
From Vouch Require Import lib.Size array.Syntax index.Kernel index.LowerProof index.Fuse build.Nodes build.Calls.
Import ListNotations.

Definition copy_of (cells : N) : ikernel := {|
  ik_facts := [];
  ik_inputs := [TAry (SConst cells) TNum];
  ik_locals := [];
  ik_output := {|
    st_extents := [SConst cells];
    st_summands := [{| su_loops := []; su_cond := CTrue; su_body := BRead 0 [(IVar 0, SConst cells)] |}] |}
|}.

Definition copy : ikernel := copy_of 4.

(** Buffers: 0 is the input, 1 the output, 2 the arena of eight cells. *)
Definition copied (first second : place * place) (result : place) : plan := {|
  pl_buffers := [{| bu_cells := 4; bu_written := false; bu_element := F32; bu_memory := 0 |};
                 {| bu_cells := 4; bu_written := true; bu_element := F32; bu_memory := 1 |};
                 {| bu_cells := 8; bu_written := true; bu_element := F32; bu_memory := 2 |}];
  pl_values := 1;
  pl_given := [{| re_value := 0%N; re_place := (0, 0%N); re_cells := 4 |}];
  pl_calls := [{| ca_kernel := 0; ca_values := [[(0%N, 4%N)]]; ca_places := [fst first]; ca_result := snd first |};
               {| ca_kernel := 0; ca_values := [[(1%N, 4%N)]]; ca_places := [fst second]; ca_result := snd second |}];
  pl_results := [{| re_value := 2%N; re_place := result; re_cells := 4 |}]
|}.

Definition x : place := (0, 0%N).
Definition y : place := (1, 0%N).
Definition low : place := (2, 0%N).
Definition high : place := (2, 4%N).
Definition middle : place := (2, 2%N).
Definition beyond : place := (2, 5%N).

Example good_plan : plan_ok [copy] (copied (x, low) (low, y) y) = true.
Proof. reflexivity. Qed.

Example good_within_arena : plan_ok [copy] (copied (x, low) (low, high) high) = true.
Proof. reflexivity. Qed.

Example result_over_argument : plan_ok [copy] (copied (x, low) (low, middle) middle) = false.
Proof. reflexivity. Qed.

Example in_place : plan_ok [copy] (copied (x, low) (low, low) low) = false.
Proof. reflexivity. Qed.

Example into_the_input : plan_ok [copy] (copied (x, x) (x, y) y) = false.
Proof. reflexivity. Qed.

Example beyond_the_arena : plan_ok [copy] (copied (x, beyond) (beyond, y) y) = false.
Proof. reflexivity. Qed.

Example argument_elsewhere : plan_ok [copy] (copied (x, low) (high, y) y) = false.
Proof. reflexivity. Qed.

Example result_elsewhere : plan_ok [copy] (copied (x, low) (low, y) low) = false.
Proof. reflexivity. Qed.

Example no_such_kernel : plan_ok [] (copied (x, low) (low, y) y) = false.
Proof. reflexivity. Qed.

(** The second call overwrites what the third reads. *)
Definition overwritten (second : place) : plan := {|
  pl_buffers := pl_buffers (copied (x, low) (low, y) y);
  pl_values := 1;
  pl_given := pl_given (copied (x, low) (low, y) y);
  pl_calls := [{| ca_kernel := 0; ca_values := [[(0%N, 4%N)]]; ca_places := [x]; ca_result := low |};
               {| ca_kernel := 0; ca_values := [[(0%N, 4%N)]]; ca_places := [x]; ca_result := second |};
               {| ca_kernel := 0; ca_values := [[(1%N, 4%N)]]; ca_places := [low]; ca_result := y |}];
  pl_results := [{| re_value := 3%N; re_place := y; re_cells := 4 |}]
|}.

Example kept : plan_ok [copy] (overwritten high) = true.
Proof. reflexivity. Qed.

Example lost : plan_ok [copy] (overwritten middle) = false.
Proof. reflexivity. Qed.

(** The arena as cells of two bytes: what the second call writes as such may be a cell of four bytes that the third reads. *)
Definition viewed (memory : nat) (second : place) : plan := {|
  pl_buffers := pl_buffers (overwritten second) ++
                [{| bu_cells := 16; bu_written := true; bu_element := F16; bu_memory := memory |}];
  pl_values := 1;
  pl_given := pl_given (overwritten second);
  pl_calls := pl_calls (overwritten second);
  pl_results := pl_results (overwritten second)
|}.

Example behind_it : plan_ok [copy] (viewed 2 (3, 8%N)) = true.
Proof. reflexivity. Qed.

Example a_byte_of_it : plan_ok [copy] (viewed 2 (3, 7%N)) = false.
Proof. reflexivity. Qed.

Example in_another_memory : plan_ok [copy] (viewed 3 (3, 7%N)) = true.
Proof. reflexivity. Qed.

Example beyond_the_view : plan_ok [copy] (viewed 2 (3, 13%N)) = false.
Proof. reflexivity. Qed.

(** Nor may it be what the call itself reads. *)
Definition read_in_view (result : place) : plan := {|
  pl_buffers := pl_buffers (viewed 2 x);
  pl_values := 1;
  pl_given := pl_given (viewed 2 x);
  pl_calls := [{| ca_kernel := 0; ca_values := [[(0%N, 4%N)]]; ca_places := [x]; ca_result := (3, 4%N) |};
               {| ca_kernel := 0; ca_values := [[(1%N, 4%N)]]; ca_places := [(3, 4%N)]; ca_result := result |}];
  pl_results := [{| re_value := 2%N; re_place := result; re_cells := 4 |}]
|}.

Example behind_the_argument : plan_ok [copy] (read_in_view (2, 4%N)) = true.
Proof. reflexivity. Qed.

Example over_the_argument : plan_ok [copy] (read_in_view (2, 3%N)) = false.
Proof. reflexivity. Qed.

Example before_the_argument : plan_ok [copy] (read_in_view (2, 0%N)) = false.
Proof. reflexivity. Qed.

(** Two copies of x, then a copy of both, which lie one after the other in the arena. *)
Definition both (first second start : place) (pieces : list (N * N)) : plan := {|
  pl_buffers := [{| bu_cells := 4; bu_written := false; bu_element := F32; bu_memory := 0 |};
                 {| bu_cells := 8; bu_written := true; bu_element := F32; bu_memory := 1 |};
                 {| bu_cells := 12; bu_written := true; bu_element := F32; bu_memory := 2 |}];
  pl_values := 1;
  pl_given := [{| re_value := 0%N; re_place := x; re_cells := 4 |}];
  pl_calls := [{| ca_kernel := 0; ca_values := [[(0%N, 4%N)]]; ca_places := [x]; ca_result := first |};
               {| ca_kernel := 0; ca_values := [[(0%N, 4%N)]]; ca_places := [x]; ca_result := second |};
               {| ca_kernel := 1; ca_values := [pieces]; ca_places := [start]; ca_result := y |}];
  pl_results := [{| re_value := 3%N; re_place := y; re_cells := 8 |}]
|}.

Definition both_ok (first second start : place) (pieces : list (N * N)) : bool :=
  plan_ok [copy; copy_of 8] (both first second start pieces).

Example one_after_the_other : both_ok low high low [(1%N, 4%N); (2%N, 4%N)] = true.
Proof. reflexivity. Qed.

Example in_the_other_order : both_ok low high low [(2%N, 4%N); (1%N, 4%N)] = false.
Proof. reflexivity. Qed.

Example with_a_gap : both_ok low (2, 5%N) low [(1%N, 4%N); (2%N, 4%N)] = false.
Proof. reflexivity. Qed.

Example over_each_other : both_ok low middle low [(1%N, 4%N); (2%N, 4%N)] = false.
Proof. reflexivity. Qed.

Example one_is_missing : both_ok low high low [(1%N, 4%N)] = false.
Proof. reflexivity. Qed.

Example one_too_many : both_ok low high low [(1%N, 4%N); (2%N, 4%N); (1%N, 4%N)] = false.
Proof. reflexivity. Qed.

Example a_part_of_one : both_ok low high low [(1%N, 2%N); (1%N, 2%N); (2%N, 4%N)] = false.
Proof. reflexivity. Qed.

Example longer_than_it_is : both_ok low high low [(1%N, 8%N)] = false.
Proof. reflexivity. Qed.

Example from_elsewhere : both_ok low high middle [(1%N, 4%N); (2%N, 4%N)] = false.
Proof. reflexivity. Qed.

Example of_its_type : place_typed (overwritten high) x F32 = true.
Proof. reflexivity. Qed.

Example of_another_type : place_typed (overwritten high) x I32 = false.
Proof. reflexivity. Qed.

Example in_no_buffer : place_typed (overwritten high) (3, 0%N) F32 = false.
Proof. reflexivity. Qed.

(** What is proven of a fused kernel is not taken for the kernel whose products are rounded, nor the other way round. *)
Fail Definition as_if_rounded k c (computes : ComputesFused k c) : ComputesNode {| nd_kernel := k; nd_fused := false |} c := computes.
Fail Definition as_if_fused k c (computes : ComputesIndex k c) : ComputesNode {| nd_kernel := k; nd_fused := true |} c := computes.
